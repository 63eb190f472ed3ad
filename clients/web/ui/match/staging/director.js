// @ts-check
/** What of other people's moves is staged and when: all that came since the shown position, or an older turn once more. */
import { PACES, Stage } from "./stage.js";
import { Travels } from "./travel.js";

export class Director {
  /**
   * @param {Element} root @param {any} board @param {import("../link.js").MatchLink} link
   * @param {{latest: () => any, shown: () => any, pace: () => number, draw: (ply: any) => void, tell: (ply: any) => void}} page
   */
  constructor(root, board, link, page) {
    this.link = link;
    this.page = page;
    this.travels = new Travels(root, board);
    this.stage = new Stage(this.travels, { draw: page.draw, tell: page.tell, light: (goals) => this.travels.light(goals) });
    document.body.append(this.travels.overlay);
    this.stage.scenes = (ply) => (page.shown() && board.scenes?.(page.shown(), ply.line?.events ?? [])) || [];
  }

  close() {
    this.stage.skip();
    this.travels.overlay.remove();
  }

  get isPlaying() {
    return this.stage.isPlaying;
  }

  skip() {
    this.stage.skip();
  }

  /** Whether there is something to stage between the shown ply and this state. @param {any} state @param {number} from */
  wants(state, from) {
    return this.page.pace() > 0 && state.ply > from && state.log.some((line) => line.ply >= from && line.seat !== state.seat);
  }

  /** Stage what others did from this ply on, until the newest state is reached. @param {number} from @param {number} [pace] */
  async catchUp(from, pace = this.page.pace()) {
    while (from < this.page.latest().ply) {
      const { ply: until, seat, seats } = this.page.latest();
      const plies = await this.link.staged(from, seat);
      from = Math.max(until, ...plies.map((ply) => ply.ply + 1));
      const others = plies.filter((ply) => seat === null || ply.line?.seat !== seat);
      if (others.length && !(await this.stage.play(others, pace, seats.map((each) => each.name)))) return;
    }
  }

  /** The last turn of the others once more, or everything since one's own last one. @param {boolean} all */
  async again(all) {
    const { log, seat, ply } = this.page.latest();
    const own = log.findLast((line) => line.seat !== null && line.seat === seat);
    const last = log.findLast((line) => line.seat !== seat && line.say);
    const from = all ? (own?.ply ?? -1) + 1 : (log.find((line) => line.turn === last?.turn)?.ply ?? ply);
    if (last && from < ply) await this.catchUp(from, this.page.pace() || PACES.normal);
  }
}
