/** The path of the base address: it carries the version (spec 9). */
export const BASE_PATH = '/api/v1';

/** Version of the contract document (spec 9). */
export const CONTRACT_VERSION = '1.0.0';
