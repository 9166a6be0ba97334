// The texts of the launcher, each a constant, which the build puts in its place. Other languages come with the look.

/** Its name while the panel is closed. */
export const open = 'Open chat';
export const close = 'Close chat';
/** Added to its name: "Open chat. Unread messages: 2". */
export const unread = 'Unread messages: {count}';
