// @ts-check
/** What of other people's moves is staged and when: all that came since the shown position, or an older turn once more. */
import { PACES, Stage } from "./stage.js";
import { Travels } from "./travel.js";

export class Director {
  /**
   * @param {Element} root @param {any} board @param {Pick<import("../link.js").MatchLink, "staged">} link
   * @param {{latest: () => any, shown: () => any, pace: () => number, draw: (ply: any) => void, tell: (ply: any) => void}} page
   */
  constructor(root, board, link, page) {
    this.link = link;
    this.page = page;
    this.travels = new Travels(root, board);
    this.stage = new Stage(this.travels, { draw: page.draw, tell: page.tell, light: (goals) => this.travels.light(goals) });
    document.body.append(this.travels.overlay);
    this.run = 0;
    /** From the request of what is to be staged on: what arrives meanwhile is staged by the same run. */
    this.isPlaying = false;
    this.stage.scenes = (ply) => (page.shown() && board.scenes?.(page.shown(), ply.line?.events ?? [])) || [];
  }

  close() {
    this.skip();
    this.travels.overlay.remove();
  }

  skip() {
    this.run++;
    this.isPlaying = false;
    this.stage.skip();
  }

  /** Whether there is something to stage between the shown ply and this state. @param {any} state @param {number} from */
  wants(state, from) {
    return this.page.pace() > 0 && state.ply > from && state.log.some((line) => line.ply >= from && line.seat !== state.seat);
  }

  /** Stage what others did from this ply on, until the newest state is reached. @param {number} from */
  async catchUp(from) {
    const mine = ++this.run;
    this.isPlaying = true;
    while (mine === this.run && from < this.page.latest().ply) {
      const { ply: until, seat } = this.page.latest();
      const { plies } = await this.link.staged(from, seat);
      if (mine !== this.run) return;
      from = Math.max(until, ...plies.map((ply) => ply.ply + 1));
      const others = plies.filter((ply) => seat === null || ply.line?.seat !== seat);
      if (others.length) await this.stage.play(others, this.page.pace(), this.names);
    }
    if (mine === this.run) this.isPlaying = false;
  }

  /**
   * The last turn of the others once more, or everything since one's own last one: first the table as it was then, with all that
   * happened from there on, one's own answers included; then what came meanwhile.
   * @param {boolean} all @returns {Promise<boolean>} whether there was something to show
   */
  async again(all) {
    const { log, seat, ply } = this.page.latest();
    const own = log.findLast((line) => line.seat !== null && line.seat === seat);
    const last = log.findLast((line) => line.seat !== seat && line.say);
    const from = all ? (own?.ply ?? -1) + 1 : (log.find((line) => line.turn === last?.turn)?.ply ?? ply);
    if (!last || from >= ply) return false;
    const mine = ++this.run;
    this.isPlaying = true;
    const { before, plies } = await this.link.staged(from, seat);
    if (mine !== this.run) return true;
    if (before) {
      this.page.draw(before);
      await this.stage.play(plies, this.page.pace() || PACES.normal, this.names);
    }
    if (mine === this.run) await this.catchUp(Math.max(ply, ...plies.map((each) => each.ply + 1)));
    return before !== null;
  }

  get names() {
    return this.page.latest().seats.map((each) => each.name);
  }
}
