// A game on the server: people and agents take turns.

import { pointing } from "./board.js";
import { drawDecision } from "./choices.js";
import { ask, byId, capital, closeDialogs, complain, element, nice, remember, remembered, show, state, titleOf } from "./common.js";

const PAUSE = new URLSearchParams(location.search).get("pause"); // milliseconds between the machine's moves
const LOOK = 1500; // milliseconds until we look again whether somebody else has decided
const PATIENCE = 1500; // milliseconds until one may stop a machine that thinks
const MOST_REMEMBERED = 12;
const world = { analysis: false, onLeave: null };

export const configure = (given) => Object.assign(world, given);

const pause = () => Number(PAUSE ?? byId("speed").value);

const peopleOf = (payload) => Object.values(payload.players).filter((p) => p === "person").length;

export function open(name, payload) {
  stop();
  Object.assign(state, { session: name, ready: null, paused: false, shown: null });
  if (location.hash.slice(1) !== name) history.pushState(null, "", `#${name}`);
  byId("guide").hidden = true;
  drawPause();
  const seats = Object.keys(payload.players);
  byId("hands").replaceChildren(element("option", { value: "" }, "closed"), element("option", { value: "all" }, "all open"), ...seats.map((seat) => element("option", { value: seat }, `of ${nice(seat)}`)));
  show("session");
  draw(payload);
  rememberGame(name, payload);
}

function rememberGame(name, payload) {
  const games = remembered("games", []).filter((game) => game.name !== name);
  remember("games", [{ name, game: payload.game, players: payload.players }, ...games].slice(0, MOST_REMEMBERED));
}

export function forget(name) {
  remember("games", remembered("games", []).filter((game) => game.name !== name));
}

// whatever is under way here ends; on the server nothing does
export function stop() {
  clearTimeout(state.timer);
  state.request?.abort();
  Object.assign(state, { session: null, busy: false, request: null });
  closeDialogs();
}

function address(what) {
  const view = byId("watching").hidden ? "" : byId("hands").value;
  const query = new URLSearchParams({ ...(view ? { view } : {}), ...(what === "look" ? { seen: state.shown.version } : {}) }).toString();
  return `/api/sessions/${state.session}${["", "look"].includes(what) ? "" : `/${what}`}${query && `?${query}`}`;
}

export async function change(what, body) {
  if (state.busy) return;
  clearTimeout(state.timer);
  const session = state.session, request = new AbortController();
  Object.assign(state, { busy: true, request });
  let payload;
  try {
    payload = await ask(address(what), body, request.signal);
  } catch (error) {
    if (state.request !== request) return; // left meanwhile
    Object.assign(state, { busy: false, request: null });
    return failed(error, what);
  }
  if (state.request !== request) return;
  Object.assign(state, { busy: false, request: null });
  if (payload) draw(payload);
  else goOn(state.shown); // nothing new
}

function failed(error, what) {
  if (error.status === 404) { forget(state.session); return world.onLeave(error.message); }
  if (error.status !== 409 || what !== "advance") complain(error); // another tab may have been quicker
  state.timer = setTimeout(() => change(""), error.status === 409 ? 50 : 3000); // look again how the game stands
}

function draw(payload) {
  byId("title").textContent = titleOf(payload.game);
  byId("subtitle").textContent = subtitle(payload);
  byId("undo").hidden = !payload.practice;
  byId("undo").disabled = !payload.can_undo;
  byId("study").hidden = !(world.analysis && payload.analysis) || Boolean(payload.over);
  byId("study").href = `/analysis/table-${state.session}`;
  byId("study").textContent = peopleOf(payload) ? "Analyse (practice)" : "Analyse";
  byId("hint").hidden = !peopleOf(payload);
  byId("hint").disabled = !payload.yours;
  byId("watching").hidden = peopleOf(payload) > 0;
  byId("question").classList.toggle("thinking", !payload.yours && !payload.over && !state.paused);
  closeDialogs("#ask, #end, #pass");
  if (payload.yours) state.paused = false; // the next machine may think again
  if (!payload.alone && peopleOf(payload) > 1 && payload.yours && state.ready !== payload.viewer) return passOver(payload);
  drawDecision(payload, (id) => change("play", { number: payload.number, action: id }));
  if (!payload.kept) complain(new Error("the server's disk is full: this game is not kept"));
  if (payload.over) return drawEnd(payload);
  goOn(payload);
}

function subtitle({ practice, score, viewer, alone, players }) {
  const parts = [];
  if (alone && viewer) parts.push(`you are ${nice(viewer)}`);
  if (practice) parts.push("practice");
  if (score.games) parts.push(`games won: ${Object.keys(players).map((seat) => `${nice(seat)} – ${score.seats[seat].won}`).join(", ")}`);
  return parts.join(" · ");
}

function goOn(payload) { // who does not decide waits for whoever does
  clearTimeout(state.timer);
  if (payload.yours || payload.over) return;
  if (payload.players[payload.decider] === "person") state.timer = setTimeout(() => change("look"), LOOK);
  else if (!state.paused) state.timer = setTimeout(() => advance(payload.number), payload.number ? pause() : 0);
  else if (byId("watching").hidden) offerToGoOn();
}

function advance(number) {
  change("advance", { number });
  if (!byId("watching").hidden) return;
  const request = state.request;
  setTimeout(() => {
    if (state.request !== request || !state.busy) return;
    byId("choices").replaceChildren(element("button", { type: "button", onclick: cancel }, "Stop it thinking"));
  }, PATIENCE);
}

async function cancel() { // a machine that takes too long
  state.request?.abort();
  Object.assign(state, { busy: false, request: null, paused: true });
  await change("cancel", {});
}

function offerToGoOn() {
  byId("choices").replaceChildren(element("button", { type: "button", onclick: () => { state.paused = false; goOn(state.shown); byId("choices").replaceChildren(); } }, "Let it think again"));
}

function passOver(payload) { // several people at one page: nobody sees the other's hand
  state.shown = { ...payload, actions: [], yours: false, can_undo: false };
  byId("hint").disabled = byId("undo").disabled = true;
  for (const id of ["board", "choices", "ask-choices", "log", "cards-list", "hints"]) byId(id).replaceChildren();
  byId("question").textContent = `${capital(nice(payload.viewer))} decides`;
  byId("pass-text").textContent = `Pass the screen to ${nice(payload.viewer)}.`;
  byId("pass-go").onclick = () => { state.ready = payload.viewer; draw(payload); };
  byId("pass").onclose = () => { if (state.session && state.ready !== payload.viewer) byId("pass").showModal(); };
  byId("pass").showModal();
}

export async function hint() {
  const { session, shown } = state;
  if (!session || state.busy || !shown.yours) return;
  const waiting = element("p", { role: "status" }, "The adviser thinks …");
  byId("hints").replaceChildren(waiting);
  try {
    const { hints } = await ask(`/api/sessions/${session}/hint`, { number: shown.number });
    if (state.shown !== shown || state.busy) return;
    const lines = hints.map(({ action, text, share, marks }) => pointing(
      element("button", { type: "button", onclick: () => state.choose(action) }, `${text} ${Math.round(100 * share)}%`), marks));
    byId("hints").replaceChildren(element("p", {}, "The adviser would choose:"), ...lines);
  } catch (error) { complain(error); } finally { waiting.remove(); }
}

function drawEnd({ over, viewer, score, finished, players }) {
  const winners = Object.keys(over.rewards).filter((seat) => over.rewards[seat] > 0);
  byId("end-title").textContent = !winners.length ? "A draw" : winners.includes(viewer) ? "You won!" : capital(`${nice(winners[0])} won`);
  byId("end-reason").textContent = capital(`${over.reason}.`);
  const rows = Object.keys(players).map((seat) => `${seat === viewer ? "you" : nice(seat)} – ${score.seats[seat].won}`);
  byId("end-score").textContent = score.games > 1 || score.match ? `Games won: ${rows.join(", ")}.${matchWords(score.match, viewer)}` : "";
  byId("replay").href = finished ? `/api/finished/${finished}` : `/api/sessions/${state.session}/replay`;
  byId("analyse").hidden = !(world.analysis && finished);
  byId("analyse").href = `/analysis/${finished}`;
  byId("choices").replaceChildren(element("button", { type: "button", onclick: () => byId("end").showModal() }, "Result, rematch, replay"));
  byId("end").showModal();
}

function matchWords(match, viewer) { // two games with sides swapped (R13)
  if (!match) return "";
  if (!match.winner) return " The match of two games is drawn.";
  return ` ${match.winner === viewer ? "You win" : `${capital(nice(match.winner))} wins`} the match of two games${match.by_points ? " by the wounds dealt" : ""}.`;
}

function drawPause() {
  byId("pause").textContent = state.paused ? "Go on" : "Pause";
}

function setPaused(paused) {
  state.paused = paused;
  drawPause();
  byId("question").classList.toggle("thinking", !paused);
  clearTimeout(state.timer);
  if (!paused && !state.busy) goOn(state.shown);
}

export function connect() {
  byId("hint").onclick = hint;
  byId("undo").onclick = () => { state.request?.abort(); state.busy = false; change("undo", {}); };
  byId("rematch").onclick = () => { state.ready = null; change("rematch", {}); };
  byId("look").onclick = () => byId("end").close();
  byId("pause").onclick = () => setPaused(!state.paused);
  byId("step").onclick = () => { setPaused(true); if (!state.shown.over) change("advance", { number: state.shown.number }); };
  byId("hands").onchange = () => { clearTimeout(state.timer); change(""); };
  byId("ask").addEventListener("cancel", (event) => event.preventDefault());
  byId("pass").addEventListener("cancel", (event) => event.preventDefault());
  addEventListener("focus", () => { if (state.session && state.shown && !state.busy && !byId("pass").open) change("look"); });
}
