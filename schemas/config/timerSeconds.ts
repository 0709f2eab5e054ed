import { z } from 'zod';

/** A time that a timer waits, in seconds; at most 11 days, since Node ends waits of 25 days and more at once. */
export const timerSecondsSchema = z.number().max(1_000_000);
