/** The texts of the teaser, which is loaded with the first message that it shows. Other languages come with the look. */
export const englishTeaserTexts = {
  /** Name of the button that puts it away. */
  teaserClose: 'Close the preview',
};
