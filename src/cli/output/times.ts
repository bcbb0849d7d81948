/** An instant for people: to the minute, in UTC. */
export const formatInstant = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
