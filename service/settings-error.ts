/** A setting is missing, or contradicts another. Nothing was started; correct the settings. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
