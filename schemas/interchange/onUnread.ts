/** `--on-unread`: refuse rows with an unread part, such as a picture, or import them without it. */
export const onUnreadChoices = ['refuse', 'leave-out'] as const;
export type OnUnread = (typeof onUnreadChoices)[number];
