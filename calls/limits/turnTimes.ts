/**
 * Endpoints count a request when it arrives, and some arrive later after their turn than others: those of a minute and a
 * little more may arrive in one. So turns are spaced as if a minute were longer by what may pass between a turn and the
 * arrival, which costs 1.6% of a limit.
 */
const TURN_TO_ARRIVAL_MS = 1_000;

/** So much time has room for as many turns as a limit has in a minute. */
export const SPACED_MINUTE_MS = 60_000 + TURN_TO_ARRIVAL_MS;

/** A turn that is met so much late is given up. What is left of the time between turn and arrival is for the way. */
export const LATE_MS = TURN_TO_ARRIVAL_MS / 4;
