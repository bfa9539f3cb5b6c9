// What all parts of the page share.

export const byId = (id) => document.getElementById(id);

export const state = {
  session: null, // the name of the chair that we sit on
  shown: null, // what the server says, or a step of a guided game
  picked: [], // parts of the picture that were clicked on to narrow the choice down
  choose: null, // what happens with a choice
  busy: false,
  paused: false,
  ready: null, // who of several people has taken the screen
  timer: null,
  request: null, // what we wait for, to be aborted
};
window.state = state; // for tests and for the curious

export async function ask(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(path, body === undefined ? { signal } : { method: "POST", headers, body: JSON.stringify(body), signal }).catch(unanswered);
  if (answer.status === 204) return null;
  const content = await answer.json().catch(() => ({ error: `the server answers ${answer.status}` }));
  if (!answer.ok) throw Object.assign(new Error(content.error || answer.statusText), { status: answer.status });
  return content;
}

function unanswered(error) { // browsers say "Failed to fetch"
  throw error.name === "AbortError" ? error : new Error("The server does not answer. Is it still running?");
}

export function complain(error) {
  byId("error").textContent = error.message;
  byId("error").hidden = false;
  setTimeout(() => { byId("error").hidden = true; }, 6000);
}

export function element(name, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

export const capital = (words) => words.replace(/^./, (c) => c.toUpperCase());

export const nice = (seat) => (seat || "").replace(/_/g, " ").replace(/^(dragon|dwarves) 0$/, "the $1");

export const titleOf = (game) => capital(game.replace(/_v0$/, "").replaceAll("_", " ")).replace(" dragon", " Dragon");

export function show(part) {
  for (const id of ["setup", "session"]) byId(id).hidden = id !== part;
  byId("nav").hidden = part !== "session";
}

export function closeDialogs(which = "dialog") {
  byId("pass").onclose = null;
  for (const dialog of document.querySelectorAll(which)) if (dialog.open) dialog.close();
}

// what this browser remembers; without that (private windows) the page works all the same
export function remembered(key, otherwise) {
  try { return JSON.parse(localStorage.getItem(key)) ?? otherwise; } catch { return otherwise; }
}

export function remember(key, value) {
  try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* nothing is remembered */ }
}
