/** Limits on reading a file. */
export interface FileLimits {
  /** Resident memory of the reading process. */
  readonly memoryMb: number;
  /** CPU time, so that a busy machine makes no difference. */
  readonly cpuSeconds: number;
}

/** Signal that ends a process out of CPU time; every other end is for lack of memory. */
export const outOfTime = 'SIGVTALRM';

/** Memory of a process before it reads. */
export const ownMemoryMb = 80;

/** Enough for a file of 130 kB that unpacks to 80 MB in one row group. */
const MIN_MEMORY_MB = 352;
/** Valid files of 50 to 80 MB, whatever their row groups, need 8 to 16. */
const memoryMbPerMb = 24;
/** Node's default on a machine with enough memory. */
const MAX_MEMORY_MB = 4_096;
const MIN_CPU_SECONDS = 2;
/** Valid files need 0.05. */
const cpuSecondsPerMb = 1;

/** Limits proportional to a file's size in bytes: a few kilobytes cannot claim gigabytes. */
export function limitsForFile(bytes: number): FileLimits {
  const megabytes = Math.ceil(bytes / 1e6);
  return {
    memoryMb: Math.min(MIN_MEMORY_MB + memoryMbPerMb * megabytes, MAX_MEMORY_MB),
    cpuSeconds: MIN_CPU_SECONDS + cpuSecondsPerMb * megabytes,
  };
}
