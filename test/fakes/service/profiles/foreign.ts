import { getUrlPage, PLAIN, type Profile } from '../profile.ts';
import { hasEnded, isFailed, type Job } from '../records.ts';

/** "1.985,50 TL", and "1.985 TL" where there are no kuruş: what countries read differently. */
const toTurkish = (kurus: number): string =>
  `${new Intl.NumberFormat('tr-TR', { minimumFractionDigits: kurus % 100 === 0 ? 0 : 2 }).format(kurus / 100)} TL`;

const show = (job: Job) => ({
  is_no: job.reference,
  durum: job.state,
  acilis: new Date(job.at).toISOString(),
  proje: job.project,
  url_count: job.urls.length,
  ...(hasEnded(job)
    ? {
        failed: job.urls.filter((_, n) => isFailed(job, n)).length,
        completed: job.urls.filter((_, n) => !isFailed(job, n)).length,
      }
    : {}),
});

/** Honest to the specification, with names that are in no list of usual ones, and with words and amounts of its country. */
export const FOREIGN: Profile = {
  ...PLAIN,
  name: 'foreign',
  reference: (n) => `IS/${n}`,
  accepted: (job) => ({ is_no: job.reference, durum: job.state }),
  list: (jobs, { page, limit, total }) => ({
    is_emirleri: jobs.map(show),
    duyurular: [{ metin: 'bakım' }],
    pagination: { page, limit, total },
  }),
  detail: (job, paging) => ({
    ...show(job),
    adresler: getUrlPage(job, paging).map(([adres, n]) => ({
      adres,
      sonuc: hasEnded(job) ? (isFailed(job, n) ? 'reddedildi' : 'eklendi') : 'pending',
      sira: n,
    })),
    baglantilar: [{ yol: '/x' }],
  }),
  balance: (kurus) => ({ hesap: { kullanilabilir: toTurkish(kurus) } }),
};
