/** The texts of what visitors can do with messages, which are loaded with the first answer. Other languages come with the look. */
export const englishActionTexts = {
  /** Names of the buttons with thumbs. */
  rateUp: 'Good answer',
  rateDown: 'Bad answer',
  answerAgain: 'Answer again',
  edit: 'Edit',
  /** Name of the field in which a message is edited. */
  editedMessage: 'Edited message',
  editCancel: 'Cancel',
  /** Of a message and its answer that were asked again: "2 of 3". */
  version: '{number} of {count}',
  versionBefore: 'Previous version',
  versionAfter: 'Next version',
  /** Asked after a bad rating. The visitor need not answer. */
  whatWasWrong: 'What was wrong?',
  ratingSkip: 'Skip',
  ratingThanks: 'Thank you.',
  actionFailed: 'That did not work.',
};
