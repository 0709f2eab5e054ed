/** First user id for slots: above people's accounts, below 65,536 so that containers map it. */
const FIRST_UID = 30_000;
const UIDS = 30_000;
const UIDS_PER_PROCESS = 64;

/**
 * The user id under which root runs the programs of a slot; undefined for an ordinary user, who has only one. Processes
 * beside us that sandbox too should rarely have the same.
 */
export function slotUid(slot: number): number | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  return FIRST_UID + ((process.pid * UIDS_PER_PROCESS + slot) % UIDS);
}
