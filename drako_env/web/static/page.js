// The page: which part of it is shown, and the keys.

import { movement, walk } from "./board.js";
import { clearPicked, typeKey, walkLog } from "./choices.js";
import { ask, byId, complain, remember, state } from "./common.js";
import { startLesson } from "./lesson.js";
import { configure, connect, forget, hint, open, stop } from "./play.js";
import { showRules } from "./rules.js";
import { chosenGame, loadChoices, playOn, setUp } from "./setup.js";

const LESSON = /^learn-([a-z_]+)$/;
const ON = /^on-(.+)-(\d+)$/; // what the analysis board shows, and how many of its decisions stand

function leave(notice = "") {
  stop();
  state.shown = null;
  if (location.hash) history.pushState(null, "", location.pathname + location.search);
  return setUp(notice).catch(complain);
}

async function route() { // what the address says: nothing, a game, a guided game, a game to go on from
  const name = location.hash.slice(1), lesson = name.match(LESSON);
  if (!name) { stop(); state.shown = null; return setUp(); }
  if (lesson) return startLesson(lesson[1], leave).catch((error) => leave(error.message));
  if (ON.test(name)) return playOn(name.match(ON)[1], Number(name.match(ON)[2])).catch((error) => leave(error.message));
  stop();
  try { open(name, await ask(`/api/sessions/${encodeURIComponent(name)}`)); } catch (error) {
    if (error.status === 404) forget(name);
    leave(error.message.replace(/^./, (c) => c.toUpperCase()));
  }
}

function askToLeave() {
  if (!state.session || state.shown?.over) return leave();
  byId("confirm").showModal();
}

const rulesOf = () => (state.session ? state.shown.game.replace(/_v0$/, "") : location.hash.match(/^#learn-(.*)$/)?.[1] ?? chosenGame());

function keys(event) {
  const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("select, input");
  if (!state.shown || elsewhere || document.querySelector("dialog[open]:not(#ask)")) return;
  if (walk(event) || walkLog(event)) return;
  if (/^[0-9]$/.test(event.key)) typeKey(event.key);
  else if (event.key === "Escape") clearPicked();
  else if (event.key === "h") hint();
  else if (event.key === "u") byId("undo").click();
}

connect();
byId("leave").onclick = askToLeave;
byId("confirm-stay").onclick = () => byId("confirm").close();
byId("confirm-leave").onclick = () => leave();
byId("learn").onclick = () => startLesson(chosenGame(), leave).catch(complain);
byId("setup-rules").onclick = byId("show-rules").onclick = () => showRules(rulesOf()).catch(complain);
byId("rules-close").onclick = () => byId("rules").close();
byId("motion").checked = movement();
byId("motion").onchange = () => remember("movement", byId("motion").checked);
document.addEventListener("keydown", keys);
addEventListener("popstate", () => route().catch(complain));

loadChoices().then(({ analysis }) => {
  configure({ analysis, onLeave: leave });
  return route();
}).catch(complain);
