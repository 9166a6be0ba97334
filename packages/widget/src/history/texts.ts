/** The texts of the list of earlier conversations, which is loaded when one asks for it. Other languages come with the look. */
export const englishHistoryTexts = {
  historyBack: 'Back to the chat',
  historyEmpty: 'Nothing here yet. Your conversations will be kept here.',
  /** In place of a title. */
  historyUntitled: 'Conversation',
};
