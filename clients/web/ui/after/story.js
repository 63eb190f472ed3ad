// @ts-check
/**
 * The story of a match: the points after each ply, the turns as chapters, and where the lead changed hands.
 *
 * `points[n]` are those of each seat before ply n, so the points after a chapter are the ones before the next. What the final
 * scoring adds has no ply of its own: it is `final`, where it differs from the points after the last ply.
 *
 * @typedef {{turn: number, ply: number, seat: number | null, say: string}} Chapter
 * @typedef {{plies: number, points: number[][], chapters: Chapter[], final: number[] | null}} Story
 * @typedef {{turn: number | null, ply: number, seat: number, from: number, ahead: number, behind: number, swing: number, say: string}} Turning
 */
import { get } from "../../api.js";

const MOST = 3;

/** @param {any} replay @returns {Story} */
export function storyOf(replay) {
  const last = replay.points.at(-1) ?? [];
  const scores = replay.result?.scores ?? null;
  const differs = scores !== null && last.length > 0 && scores.some((score, seat) => score !== last[seat]);
  return { plies: replay.plies, points: replay.points, chapters: replay.chapters ?? [], final: differs ? scores : null };
}

/**
 * The replay of a match that is over; null while there is none.
 * @param {string} match @returns {Promise<{id: string, story: Story} | null>}
 */
export async function storyOfMatch(match) {
  const { matches } = await get("matches");
  const id = matches.find((/** @type {any} */ row) => row.id === match)?.replay;
  return id ? { id, story: storyOf(await get(`replays/${id}`)) } : null;
}

/** Whether there are points to draw. @param {Story} story */
export function hasCurve(story) {
  return story.points.length > 2 && (story.points[0]?.length ?? 0) > 0 && story.points.some((row) => row.some((points) => points > 0));
}

/** The points after each chapter. @param {Story} story @returns {{chapter: Chapter, before: number[], after: number[]}[]} */
export function gains(story) {
  return story.chapters.map((chapter, index) => {
    const next = story.chapters[index + 1]?.ply ?? story.plies;
    return { chapter, before: story.points[chapter.ply] ?? [], after: story.points[next] ?? story.points.at(-1) ?? [] };
  });
}

/** The seat that alone has most; null for a tie. @param {number[]} points */
function leader(points) {
  const most = Math.max(...points);
  return points.filter((each) => each === most).length === 1 ? points.indexOf(most) : null;
}

/**
 * Every time that somebody took the lead from somebody else, and who led first.
 * @param {Story} story @returns {{turnings: Turning[], first: {seat: number, turn: number} | null}}
 */
export function leads(story) {
  const steps = gains(story).map(({ chapter, before, after }) => ({ turn: /** @type {number | null} */ (chapter.turn), ply: chapter.ply, before, after, say: chapter.say }));
  if (story.final) steps.push({ turn: null, ply: story.plies, before: story.points.at(-1) ?? [], after: story.final, say: "" });
  /** @type {Turning[]} */
  const turnings = [];
  /** @type {{seat: number, turn: number} | null} */
  let first = null;
  /** @type {number | null} */
  let lead = null;
  for (const { turn, ply, before, after, say } of steps) {
    const now = after.length ? leader(after) : null;
    if (now === null || now === lead) continue;
    if (lead === null) first = { seat: now, turn: turn ?? 0 };
    else turnings.push({ turn, ply, seat: now, from: lead, ahead: after[now], behind: after[lead], swing: after[now] - after[lead] - (before[now] - before[lead]), say });
    lead = now;
  }
  return { turnings, first };
}

/** The largest changes of the lead, in the order in which they happened. @param {Turning[]} turnings */
export function largest(turnings) {
  const kept = new Set([...turnings].sort((a, b) => b.swing - a.swing || b.ply - a.ply).slice(0, MOST));
  return turnings.filter((each) => kept.has(each));
}

/** The chapter that a position belongs to. @param {Chapter[]} chapters @param {number} ply the position before this ply */
export function chapterAt(chapters, ply) {
  const found = chapters.findLastIndex((chapter) => chapter.ply < ply);
  return Math.max(0, found);
}
