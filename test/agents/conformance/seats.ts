/** So many agents of a suite work at once, on machines of two cores. One that only waits for a retry or a limit needs no seat. */
export interface Seats {
  /** Resolves when a seat is free. Those that will wait long come first. Giving a seat back twice does nothing. */
  take(willWait: boolean): Promise<() => void>;
}

export function seats(count: number): Seats {
  let free = count;
  const patient: (() => void)[] = [];
  const others: (() => void)[] = [];
  const giveBack = () => {
    const next = patient.shift() ?? others.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async take(willWait) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => (willWait ? patient : others).push(resolve));
      let taken = true;
      return () => {
        if (taken) giveBack();
        taken = false;
      };
    },
  };
}
