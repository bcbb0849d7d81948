const real = performance.now.bind(performance);

/** The time of the machine, for measurements: it decides nothing. */
export const realNow = (): number => real();
