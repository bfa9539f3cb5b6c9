// The choices of a decision: buttons with keys, narrowed down by clicks on the picture.

import { drawBoard, glow, light, markName, pointing } from "./board.js";
import { byId, element, nice, state } from "./common.js";

const FEW = 9; // with more choices every key is two digits long
let typed = "";

const fitting = () => state.shown.actions.filter(({ marks }) => state.picked.every((one) => marks.some((mark) => markName(mark) === one)));

const keyOf = (i, count) => (count > FEW ? String(i + 1).padStart(2, "0") : String(i + 1));

// a position with its question, its choices and what happened before; `choose` is told the action
export function drawDecision(shown, choose) {
  const inside = ["choices", "board", "ask", "hints"].some((id) => byId(id).contains(document.activeElement));
  Object.assign(state, { shown, choose, picked: [] });
  const log = shown.log ?? [];
  drawBoard(shown, (log.at(-1)?.marks ?? []).map(markName));
  byId("hints").replaceChildren();
  drawLog(shown, log);
  drawCards(shown);
  drawChoices();
  const lost = inside || document.activeElement === document.body;
  if (lost && shown.actions.length && !byId("ask").open && !document.querySelector("dialog[open]")) byId("choices").focus({ preventScroll: true });
}

export function drawChoices() {
  typed = "";
  const actions = fitting(), modal = state.shown.out_of_turn && state.shown.actions.length > 0;
  const buttons = actions.map((action, i) => {
    const button = element("button", { type: "button", onclick: () => state.choose(action.id) }, action.text);
    const key = element("kbd", {}, keyOf(i, actions.length));
    key.setAttribute("aria-hidden", "true");
    button.append(key);
    button.dataset.action = action.id;
    button.dataset.key = keyOf(i, actions.length);
    return pointing(button, action.marks);
  });
  if (state.picked.length) buttons.push(element("button", { type: "button", onclick: clearPicked }, "Back", element("kbd", {}, "Esc")));
  byId(modal ? "ask-choices" : "choices").replaceChildren(...buttons);
  byId(modal ? "choices" : "ask-choices").replaceChildren();
  byId("question").textContent = modal ? "" : state.shown.question; // it is asked once
  if (modal) {
    byId("ask-text").textContent = state.shown.question;
    if (!byId("ask").open) byId("ask").show();
  } else if (byId("ask").open) byId("ask").close();
  glow([]);
  light(actions, state.picked, pick);
}

function pick(mark) {
  state.picked.push(mark);
  const actions = fitting();
  if (actions.length === 1) return state.choose(actions[0].id);
  drawChoices();
}

export function clearPicked() {
  state.picked = [];
  drawChoices();
}

export function typeKey(key) { // a digit; two of them where there are many choices
  const buttons = [...document.querySelectorAll("#choices button[data-key], #ask-choices button[data-key]")];
  typed += key;
  const found = buttons.find((button) => button.dataset.key === typed);
  if (found || !buttons.some((button) => button.dataset.key.startsWith(typed))) typed = "";
  found?.click();
}

function drawLog(shown, log) {
  const lines = log.flatMap(({ seat, text, marks, turn }) => {
    const line = element("li", { className: seat === shown.viewer ? "mine" : "", tabIndex: -1 }, element("b", {}, nice(seat)), ` ${text}`);
    return turn ? [pointing(line, marks), element("li", { className: "turn", tabIndex: -1 }, turn)] : [pointing(line, marks)];
  });
  byId("log").replaceChildren(...lines);
  byId("log").scrollTop = byId("log").scrollHeight;
}

function drawCards(shown) {
  const listed = (pairs) => element("dl", {}, ...pairs.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
  const piles = (shown.cards ?? []).flatMap(({ title, cards }) => [element("h3", {}, title),
    cards.length ? listed(cards.map(({ name, count, text }) => [count === 1 ? name : `${count} ${name}`, text])) : element("p", {}, "none")]);
  const symbols = shown.symbols?.length ? [element("h3", {}, "What the symbols mean"), listed(shown.symbols)] : [];
  byId("cards").hidden = !piles.length;
  byId("cards-list").replaceChildren(...piles, ...symbols);
}

export function walkLog(event) { // arrow keys go through what happened
  const lines = [...byId("log").children], here = lines.indexOf(document.activeElement);
  if (!byId("log").contains(event.target) || !["ArrowUp", "ArrowDown"].includes(event.key) || !lines.length) return false;
  const next = here < 0 ? lines.length - 1 : here + (event.key === "ArrowDown" ? 1 : -1);
  lines[Math.min(Math.max(next, 0), lines.length - 1)].focus();
  event.preventDefault();
  return true;
}
