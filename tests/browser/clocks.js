/* What the page's clocks show otherwise than the shared cases say: the first few differences. */
async (cases) => {
  const { ClockFold } = await import("/clock.js");
  const wrong = [];
  for (const { name, seats, terms, records, shows } of cases) {
    const fold = new ClockFold([2, "g", "t", "1", null, {}, seats, null, null, null, null, null, null, terms, null]);
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
