import type { S3Operations } from "../../../src/index.js";

interface Version {
  readonly key: string;
  readonly versionId: string;
  /** `null`: a delete marker. */
  readonly body: string | null;
}

/**
 * A versioned bucket, as the S3 API describes it: a put adds a version, a plain delete adds a marker, and only a
 * delete that names a version removes one. Lists come in pages of two, and a batch answers 200 whatever happened.
 */
export class VersionedBucket implements S3Operations {
  versions: Version[] = [];
  uploads: { readonly key: string; readonly uploadId: string; readonly part: string }[] = [];
  /** Keys that an object lock holds. */
  readonly locked = new Set<string>();
  readonly name = "memories";
  #next = 0;

  async putObject(input: { Bucket: string; Key: string; Body: string }) {
    this.#mustExist(input.Bucket);
    this.versions.push({ key: input.Key, versionId: `v${String(this.#next++)}`, body: input.Body });
    return {};
  }

  /** What a delete without a version does. */
  deleteObject(key: string): void {
    this.versions.push({ key, versionId: `v${String(this.#next++)}`, body: null });
  }

  async listObjectVersions(input: { Bucket: string; Prefix: string; KeyMarker?: string; VersionIdMarker?: string }) {
    this.#mustExist(input.Bucket);
    const matching = this.versions
      .filter(({ key }) => key.startsWith(input.Prefix))
      .sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
    const after = matching.findIndex(
      ({ key, versionId }) => key === input.KeyMarker && versionId === input.VersionIdMarker,
    );
    const page = matching.slice(after + 1, after + 3);
    const last = page.at(-1);
    const listed = (marker: boolean) =>
      page
        .filter(({ body }) => (body === null) === marker)
        .map(({ key, versionId }) => ({ Key: key, VersionId: versionId }));
    return {
      Versions: listed(false),
      DeleteMarkers: listed(true),
      IsTruncated: last !== undefined && last !== matching.at(-1),
      NextKeyMarker: last?.key,
      NextVersionIdMarker: last?.versionId,
    };
  }

  async deleteObjects(input: { Bucket: string; Delete: { Objects: { Key: string; VersionId?: string }[] } }) {
    this.#mustExist(input.Bucket);
    const Errors: { Key: string; Code: string }[] = [];
    for (const { Key, VersionId } of input.Delete.Objects) {
      if (this.locked.has(Key)) Errors.push({ Key, Code: "AccessDenied" });
      else if (VersionId === undefined) this.deleteObject(Key);
      else this.versions = this.versions.filter(({ key, versionId }) => key !== Key || versionId !== VersionId);
    }
    return { Errors };
  }

  async listMultipartUploads(input: { Bucket: string; Prefix: string }) {
    this.#mustExist(input.Bucket);
    const found = this.uploads.filter(({ key }) => key.startsWith(input.Prefix));
    return { Uploads: found.map(({ key, uploadId }) => ({ Key: key, UploadId: uploadId })), IsTruncated: false };
  }

  async abortMultipartUpload(input: { Bucket: string; Key: string; UploadId: string }) {
    this.#mustExist(input.Bucket);
    this.uploads = this.uploads.filter(({ uploadId }) => uploadId !== input.UploadId);
    return {};
  }

  /** Everything that is stored, parts of unfinished uploads included. */
  dump(): string {
    return JSON.stringify([this.versions, this.uploads]);
  }

  #mustExist(bucket: string): void {
    if (bucket !== this.name) {
      throw Object.assign(new Error("The specified bucket does not exist"), {
        name: "NoSuchBucket",
        $metadata: { httpStatusCode: 404 },
      });
    }
  }
}
