export { applyRedactor } from "./apply-redactor.js";
export {
  createRedactor,
  defaultRedactor,
  noRedactor,
  redact,
  type RedactorOptions,
  scanPii,
  strictRedactor,
} from "./create-redactor.js";
export { DEFAULT_KINDS, OPTIONAL_KINDS, type RedactionKind } from "./kinds.js";
export { type MetadataRedaction, type MetadataResult, redactMetadataStrings } from "./redact-metadata.js";
export type { Redaction, RedactionResult, RedactorPort } from "./redactor-port.js";
export { isValidAadhaar, isValidGstin, isValidIfsc, isValidPan } from "./validate.js";
