// What the director shows when, by a clock of its own: [[ms at which records come, how many, ms of each], speed, lag] -> [[ms, seq] shown].
async ([arrivals, speed, lag]) => {
  const { Director } = await import("/show/director.js");
  let now = 0;
  let due = null;
  const timer = { now: () => now, set: (act, ms) => { due = { act, at: now + ms }; return 1; }, clear: () => { due = null; } };
  const shown = [];
  const director = new Director(({ seq }) => shown.push([now, seq]), { speed, lag, timer });
  const run = (until) => {
    while (due && due.at <= until) {
      const { act, at } = due;
      now = at;
      due = null;
      act();
    }
    now = until;
  };
  let seq = 0;
  for (const [at, count, ms] of arrivals) {
    run(at);
    director.add(Array.from({ length: count }, () => ({ seq: seq++, part: 0, ms })));
  }
  run(1e9);
  return { shown, busy: director.busy };
}
