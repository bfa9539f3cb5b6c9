// A guided first game: set positions, one decision each. All of it comes from the server at once.

import { drawDecision } from "./choices.js";
import { ask, byId, show, state, titleOf } from "./common.js";
import { stop } from "./play.js";

let lesson = null, number = 0, log = [], onEnd = null;

export async function startLesson(game, end) {
  lesson = await ask(`/api/lessons/${game}`);
  stop();
  [number, log, onEnd] = [0, [], end];
  if (location.hash.slice(1) !== `learn-${game}`) history.pushState(null, "", `#learn-${game}`);
  byId("title").textContent = titleOf(game);
  for (const id of ["hint", "undo", "study", "watching"]) byId(id).hidden = true;
  byId("guide").hidden = false;
  byId("guide-next").onclick = next;
  show("session");
  drawStep();
}

function drawStep() {
  const step = lesson.steps[number];
  byId("subtitle").textContent = `${lesson.title} · ${number + 1} of ${lesson.steps.length}`;
  byId("guide-title").textContent = step.title;
  byId("guide-text").textContent = step.text;
  byId("guide-next").hidden = true;
  byId("question").classList.remove("thinking");
  drawDecision({ ...step.before, log }, choose);
}

function choose(id) {
  const step = lesson.steps[number];
  if (!step.right.includes(id)) {
    byId("guide-text").textContent = `You could do that in a real game. Here: ${step.text}`;
    return;
  }
  log = [...log, ...step.told];
  drawDecision({ ...step.after, log, question: "" }, () => {});
  const last = number + 1 === lesson.steps.length;
  byId("guide-text").textContent = step.good || "Well done.";
  byId("guide-next").textContent = last ? "Play a real game" : "Go on";
  byId("guide-next").hidden = false;
  byId("guide-next").focus();
}

function next() {
  number += 1;
  if (number < lesson.steps.length) return drawStep();
  byId("guide").hidden = true;
  state.shown = null;
  onEnd();
}
