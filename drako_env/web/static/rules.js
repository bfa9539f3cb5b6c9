// The rules as they are written (Markdown), as parts of the page. Whatever is not known stays as text.

import { byId, element } from "./common.js";

export async function showRules(game) {
  const answer = await fetch(`/api/rules/${game}`);
  byId("rules-title").textContent = answer.ok ? "Rules" : "There are no rules of this game here";
  byId("rules-text").replaceChildren(...(answer.ok ? chapters(await answer.text()) : []));
  byId("rules").showModal();
  byId("rules").scrollTop = 0;
}

function chapters(text) {
  const [, ...parts] = text.split(/^## /m);
  return parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)])
    .map(([title, body], i) => element("details", { open: i === 0 }, element("summary", {}, title), ...blocks(body)));
}

function blocks(text) {
  const made = [], lines = text.replace(/<!--.*?-->/gs, "").split("\n");
  while (lines.length) {
    const line = lines.shift();
    if (line.startsWith("```")) made.push(element("pre", { tabIndex: 0 }, take(lines, (l) => !l.startsWith("```"), true).join("\n")));
    else if (line.startsWith("### ")) made.push(element("h3", {}, ...inline(line.slice(4))));
    else if (line.startsWith("|")) made.push(table([line, ...take(lines, (l) => l.startsWith("|"))]));
    else if (line.startsWith("- ")) made.push(list([line, ...take(lines, (l) => /^(- |\s+\S)/.test(l))]));
    else if (line.trim()) made.push(element("p", {}, ...inline([line, ...take(lines, (l) => l.trim() && !/^(- |\||#|```)/.test(l))].join(" "))));
  }
  return made;
}

function take(lines, fits, withEnd = false) {
  const taken = [];
  while (lines.length && fits(lines[0])) taken.push(lines.shift());
  if (withEnd) lines.shift();
  return taken;
}

function list(lines) {
  const items = lines.join("\n").split(/^- /m).slice(1);
  return element("ul", {}, ...items.map((item) => element("li", {}, ...inline(item.replace(/\s+/g, " ")))));
}

function table(lines) {
  const rows = lines.filter((line) => !/^\|[\s:|-]+\|$/.test(line)).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const [head, ...body] = rows;
  return element("table", {}, element("thead", {}, element("tr", {}, ...head.map((cell) => element("th", { scope: "col" }, ...inline(cell))))),
    element("tbody", {}, ...body.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, ...inline(cell)))))));
}

function inline(text) { // bold, code, emphasis, links without their targets
  return text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").split(/(\*\*[^*]+\*\*|`[^`]+`|\*[^*\s][^*]*\*)/).filter(Boolean).map((part) => {
    if (part.startsWith("**")) return element("b", {}, part.slice(2, -2));
    if (part.startsWith("`")) return element("code", {}, part.slice(1, -1));
    if (/^\*\S.*\*$/.test(part)) return element("em", {}, part.slice(1, -1));
    return part;
  });
}
