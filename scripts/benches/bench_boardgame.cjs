// boardgame.io's socket server and two of its own clients in one process: a two-player counter, one move per turn.
// Prints one JSON line with moves per second; a move ends when the other client holds the new state.
// Its state carries pieces along until it has as many bytes as ours.
const path = require("path");
const [folder, bytes] = [process.argv[2], Number(process.argv[3])];
const from = (name) => require(path.join(folder, "node_modules", "boardgame.io", "dist", "cjs", name));
const { Server } = from("server.js");
const { Client } = from("client.js");
const { SocketIO } = from("multiplayer.js");

const pieces = [];
for (let i = 0, size = 0; size < bytes; i++) {
  pieces.push({ id: i, a: i * 7, b: [1000 + i, i, i], n: "piece" });
  size += JSON.stringify(pieces[i]).length + 1;
}
const game = {
  name: "counter",
  setup: () => ({ count: 0, pad: pieces }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { count: ({ G }) => ({ ...G, count: G.count + 1 }) },
};
const WARM = 300, MOVES = 1200;

async function main() {
  const server = Server({ games: [game], origins: ["*"] });
  const running = await server.run({ port: 0, callback: () => {} });
  const port = running.appServer.address().port;
  const clients = ["0", "1"].map((playerID) => Client({
    game, numPlayers: 2, playerID, matchID: "m", debug: false,
    multiplayer: SocketIO({ server: `http://127.0.0.1:${port}`, socketOpts: { transports: ["websocket"] } }),
  }));
  clients.forEach((c) => c.start());
  await new Promise((resolve) => {
    const wait = setInterval(() => {
      if (clients.every((c) => c.getState() && c.getState().isConnected !== false && c.getState().G)) { clearInterval(wait); resolve(); }
    }, 20);
  });
  let start = 0, made = 0;
  await new Promise((resolve) => {
    const next = () => {
      if (made === WARM) start = process.hrtime.bigint();
      if (made === WARM + MOVES) return resolve();
      const mover = clients[made % 2], other = clients[(made + 1) % 2];
      const want = made + 1;
      const stop = other.subscribe((state) => {
        if (state && state.G.count === want) { stop(); made = want; setImmediate(next); }
      });
      mover.moves.count();
    };
    next();
  });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(JSON.stringify({ moves_per_second: MOVES / seconds }));
  process.exit(0);
}
main().catch((error) => { console.error(error); process.exit(1); });
