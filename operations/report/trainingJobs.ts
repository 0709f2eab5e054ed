import type { ReportJob } from '../../schemas/report.ts';
import { TrainingLog } from '../../training/follow/trainingLog.ts';
import { jobFolderOf, readJob, startedJobs } from '../../training/jobFolder.ts';

/** The run's jobs that were started, by name, with what their trainers logged so far. */
export async function trainingJobs(runFolder: string): Promise<ReportJob[]> {
  const jobs: ReportJob[] = [];
  for (const name of await startedJobs(runFolder)) {
    const folder = jobFolderOf(runFolder, name);
    const record = (await readJob(folder))!;
    jobs.push({ record, curve: await new TrainingLog(folder, record).read() });
  }
  return jobs;
}
