// What lies on every picture of a position, on the page and on the analysis board: this file is part of both.

const SVG = "http://www.w3.org/2000/svg";

export function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// the parts of a picture that a mark stands for: "hex:0,1" is whatever has data-hex="0,1"
export function marked(picture, mark) {
  const [key, value] = [mark.slice(0, mark.indexOf(":")), mark.slice(mark.indexOf(":") + 1)];
  return [...picture.querySelectorAll(`[data-${key}]`)].filter((one) => one.getAttribute(`data-${key}`) === value);
}

export function withoutQuestion(picture) { // it stands beside the picture
  const question = picture.querySelector("[data-part=question]");
  if (!question) return;
  const { x, bottom } = question.getBoundingClientRect(), { width, height } = picture.viewBox.baseVal;
  const top = new DOMPoint(x, bottom).matrixTransform(picture.getScreenCTM().inverse()).y + 2;
  picture.setAttribute("viewBox", `0 ${top} ${width} ${height - top}`);
  picture.removeAttribute("height"); // they are those of the whole picture
  picture.removeAttribute("width");
  question.remove();
}

export function nameOf(place, name) { // a place's name, to be put into the picture
  const { x, y, width, height } = place.getBBox();
  const [bottom, size] = place.tagName === "polygon" ? [0.82, 0.16] : [0.94, 0.24]; // a hexagon is narrow below, and larger
  return shape("text", { x: x + width / 2, y: y + height * bottom, "font-size": Math.min(width, height) * size, class: "place", "aria-hidden": "true" }, name);
}
