/** The texts of the form that asks visitors who they are, which is loaded where one is asked. Other languages come with the look. */
export const englishFormTexts = {
  askIntro: 'Tell us who you are, so that we can also reach you later.',
  askName: 'Name',
  askEmail: 'Email',
  /** Below the field of the email. */
  askEmailWrong: 'This is not an email address.',
  askContinue: 'Continue',
  askSkip: 'Skip',
};
