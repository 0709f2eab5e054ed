/** What reading a file may take. */
export interface FileLimits {
  /** Resident memory of the process that reads. */
  readonly memoryMb: number;
  /** Of processor time, so that a busy machine changes nothing. */
  readonly cpuSeconds: number;
}

/** The signal that ends a process out of processor time; every other end is for want of memory. */
export const outOfTime = 'SIGVTALRM';

/** Of a process that has read nothing yet. */
export const ownMemoryMb = 80;

/** Enough for a file of 130 kB that unpacks to 80 MB in one row group. */
const MIN_MEMORY_MB = 352;
/** Good files of 50 to 80 MB, whatever their row groups, take 8 to 16 to be read. */
const memoryMbPerMb = 24;
/** What Node takes by itself on a machine with memory enough. */
const MAX_MEMORY_MB = 4_096;
const MIN_CPU_SECONDS = 2;
/** Good files take 0.05. */
const cpuSecondsPerMb = 1;

/** Limits that grow with the size of a file, in bytes: a few kilobytes can't ask for gigabytes. */
export function limitsForFile(bytes: number): FileLimits {
  const megabytes = Math.ceil(bytes / 1e6);
  return {
    memoryMb: Math.min(MIN_MEMORY_MB + memoryMbPerMb * megabytes, MAX_MEMORY_MB),
    cpuSeconds: MIN_CPU_SECONDS + cpuSecondsPerMb * megabytes,
  };
}
