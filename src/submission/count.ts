/** "12,345", for whole numbers. Not by Intl, which takes a third of the time of a short command to load. */
export const formatCount = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** "1 batch", "2 batches". */
export const formatCounted = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;
