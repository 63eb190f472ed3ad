// @ts-check
export { colour, draw, points } from "./plain.js";
