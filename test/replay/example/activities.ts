/** The activities of the example workflow, with results as plain as can be. */
export const reportActivities = {
  countUrls: async (): Promise<number> => 7,
  countCharges: async (): Promise<number> => 3,
  sendReport: async (urls: number, charges?: number): Promise<string> =>
    charges === undefined ? `${urls} URLs` : `${urls} URLs, ${charges} charges`,
};
export type ReportActivities = typeof reportActivities;
