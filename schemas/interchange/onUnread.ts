/** `--on-unread`: whether rows that hold a part which is not read, such as a picture, are refused or imported without it. */
export const onUnreadChoices = ['refuse', 'leave-out'] as const;
/** A value of `--on-unread`; `refuse` by default. */
export type OnUnread = (typeof onUnreadChoices)[number];
