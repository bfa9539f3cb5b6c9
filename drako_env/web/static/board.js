// The picture. The page knows no game: the picture's elements carry data-hex, data-card, ...; the server says which of
// these marks ("hex:0,1") stand for an action, what places are called and what is there.

import { byId, remembered } from "./common.js";
import { marked, nameOf, shape, withoutQuestion } from "./picture.js";

const MOVING = ["figure", "dragon"]; // what moves
const MOVEMENT = 350; // milliseconds

export const markName = ([key, value]) => `${key}:${value}`;

const find = (mark) => marked(byId("board"), mark);

export function drawBoard(shown, last) {
  const before = middles();
  byId("board").innerHTML = shown.picture;
  const svg = byId("board").querySelector("svg");
  withoutQuestion(svg);
  svg.querySelector(":scope > title")?.remove();
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", "board; arrow keys go from place to place");
  namePlaces(shown.places ?? { names: {}, holds: {} });
  for (const { cards } of shown.cards ?? []) {
    for (const card of cards) for (const found of find(`card:${card.name}`)) found.setAttribute("aria-label", `${card.name}: ${card.text}`);
  }
  for (const pile of svg.querySelectorAll("[data-part=discards]")) pile.onclick = openCards;
  for (const mark of last) for (const found of find(mark)) found.classList.add("last");
  move(before);
}

function openCards() { // what was discarded, everybody may look at
  byId("cards").open = true;
  byId("cards").scrollIntoView();
  byId("cards").querySelector("summary").focus();
}

function namePlaces({ names, holds }) {
  for (const [mark, name] of Object.entries(names)) {
    const [place] = find(mark);
    if (!place) continue;
    if (!holds[mark] || place.tagName !== "polygon") place.after(nameOf(place, name)); // a figure would cover it
    place.dataset.place = name;
    place.setAttribute("role", "img");
    place.setAttribute("tabindex", "-1");
    place.setAttribute("aria-label", `${name}: ${holds[mark] ?? "empty"}`);
  }
  document.querySelector("#board [data-place]")?.setAttribute("tabindex", "0");
}

const figures = () => MOVING.flatMap((key) => [...document.querySelectorAll(`#board [data-${key}]`)].map((one) => [markName([key, one.getAttribute(`data-${key}`)]), one]));

function middles() {
  return new Map(figures().map(([mark, one]) => {
    const { x, y, width, height } = one.getBoundingClientRect(), board = byId("board").getBoundingClientRect();
    return [mark, [x - board.x + width / 2, y - board.y + height / 2]];
  }));
}

export const movement = () => remembered("movement", !matchMedia("(prefers-reduced-motion: reduce)").matches);

function move(before) { // from where a figure was
  if (!movement()) return;
  const svg = byId("board").querySelector("svg"), after = middles();
  const scale = svg.viewBox.baseVal.width / (svg.getBoundingClientRect().width || 1);
  for (const [mark, one] of figures()) {
    const [was, is] = [before.get(mark), after.get(mark)];
    if (!was || Math.hypot(was[0] - is[0], was[1] - is[1]) < 4) continue;
    const around = shape("g"); // the figure's own transformation stays as it is
    one.replaceWith(around);
    around.append(one);
    const from = `translate(${(was[0] - is[0]) * scale}px, ${(was[1] - is[1]) * scale}px)`;
    around.animate([{ transform: from }, { transform: "none" }], { duration: MOVEMENT, easing: "ease-in-out" });
  }
}

// lights up what can be clicked on; `pick` is told the mark
export function light(actions, picked, pick) {
  for (const old of document.querySelectorAll("#board .can, #board .picked")) {
    old.classList.remove("can", "picked");
    old.setAttribute("role", "img");
    old.setAttribute("tabindex", "-1");
    old.onclick = old.onkeydown = old.onmouseenter = old.onmouseleave = null;
  }
  const marks = new Set(actions.flatMap((action) => action.marks.map(markName)));
  for (const mark of marks) {
    const fitting = actions.filter((action) => action.marks.some((one) => markName(one) === mark));
    for (const found of find(mark)) {
      if (picked.includes(mark)) { found.classList.add("picked"); continue; }
      if (fitting.length === actions.length && actions.length > 1) continue; // it would choose nothing
      found.classList.add("can");
      found.setAttribute("tabindex", "0");
      found.setAttribute("role", "button");
      const name = (found.dataset.place ?? found.getAttribute("aria-label")?.split(":")[0] ?? mark.slice(mark.indexOf(":") + 1)).trim();
      const words = fitting.length === 1 ? fitting[0].text : `${fitting.length} choices`;
      found.setAttribute("aria-label", `${name}: ${words}`);
      found.onclick = (event) => { event.stopPropagation(); pick(mark); };
      found.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); pick(mark); } };
      const own = fitting.length === 1 ? fitting[0].marks : [];
      found.onmouseenter = () => glow(own);
      found.onmouseleave = () => glow([]);
    }
  }
}

// shows where something would be, or was
export function glow(marks) {
  for (const old of document.querySelectorAll("#board .glow")) old.classList.remove("glow");
  for (const mark of marks) for (const found of find(markName(mark))) found.classList.add("glow");
}

export function pointing(made, marks) { // an element that lights up what it is about
  made.addEventListener("mouseenter", () => glow(marks));
  made.addEventListener("mouseleave", () => glow([]));
  made.addEventListener("focus", () => glow(marks));
  made.addEventListener("blur", () => glow([]));
  return made;
}

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

export function walk(event) { // arrow keys go from place to place
  const towards = ARROWS[event.key], here = event.target.closest?.("#board [data-place], #board [tabindex]");
  if (!towards || !here) return false;
  const centre = (one) => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const [x, y] = centre(here);
  const ways = [...document.querySelectorAll("#board [data-place]")].filter((one) => one !== here).map((one) => {
    const [dx, dy] = [centre(one)[0] - x, centre(one)[1] - y];
    const along = dx * towards[0] + dy * towards[1], aside = Math.abs(dx * towards[1]) + Math.abs(dy * towards[0]);
    return { one, along, aside };
  }).filter(({ along, aside }) => along > 4 && along > aside);
  ways.sort((a, b) => Math.hypot(a.along, a.aside) - Math.hypot(b.along, b.aside));
  ways[0]?.one.focus();
  event.preventDefault();
  return true;
}
