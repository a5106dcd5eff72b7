/* What the page's clocks show otherwise than the shared cases say, and which cases it finds legal that are not, or the other way round: the first few differences. */
async (cases) => {
  const { ClockFold } = await import("/audit/clockfold.js");
  const { Timekeeping } = await import("/audit/timekeeping.js");
  const wrong = [];
  for (const { name, seats, terms, records, shows, legal } of cases) {
    const genesis = [3, "g", "t", "1", null, {}, seats, null, null, null, null, null, null, terms, null];
    const fold = new ClockFold(genesis), time = new Timekeeping(genesis);
    const found = [time.wrong, ...records.flatMap((record) => time.take(record))].filter(Boolean);
    if (legal !== !found.length) wrong.push(`${name}: ${JSON.stringify(found[0] ?? "nothing found")}`);
    for (let taken = 0; taken <= records.length; taken++) {
      if (taken) fold.take(records[taken - 1]);
      for (const [after, now, seat, ...expected] of shows) {
        if (after !== taken) continue;
        const seen = fold.reading(seat, now);
        const bank = fold.clocks.seats.find((clock) => clock.seat === seat).bank;
        const got = [bank, seen.left, seen.free, seen.stopped, seen.deadline, seen.until];
        if (JSON.stringify(got) !== JSON.stringify(expected)) wrong.push(`${name}, after ${after} at ${now}, ${seat}: ${JSON.stringify(got)}, not ${JSON.stringify(expected)}`);
      }
    }
  }
  return wrong.slice(0, 5);
}
