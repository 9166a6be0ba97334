/** The texts of files, which are loaded where a visitor sends one. Other languages come with the look. */
export const englishFileTexts = {
  /** Name of the list of files above the field to write in. */
  filesToSend: 'Files to send',
  fileUploading: '{name}: uploading…',
  fileReady: '{name}: ready',
  /** Name of a button. */
  fileRemove: 'Remove {name}',
  /** Name of the button that shows a picture large. */
  fileShow: 'Show {name}',
  fileClose: 'Close',
  /** Name of a button. */
  fileSave: 'Save {name}',
  fileKind: 'Only images and PDFs can be sent.',
  fileTooLarge: 'Files can have at most 5 MB.',
  fileTooMany: 'At most 5 files can be sent with a message.',
  fileFailed: 'The file could not be uploaded.',
};
