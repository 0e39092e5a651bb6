import type { AttemptCode } from "@demystify/memory";
import { tagOf, type CopyTag } from "../copy.js";
import { SinkError } from "../sink-error.js";
import type { Sink, SinkCall, SinkEntry } from "../sink.js";

interface Listed {
  readonly Key?: string | undefined;
  readonly VersionId?: string | undefined;
}

interface ListOptions {
  readonly abortSignal?: AbortSignal;
}

/** What the adapter uses of the aggregated client `S3` of `@aws-sdk/client-s3`. */
export interface S3Operations {
  listObjectVersions(
    input: { Bucket: string; Prefix: string; KeyMarker?: string; VersionIdMarker?: string },
    options?: ListOptions,
  ): Promise<{
    readonly Versions?: readonly Listed[] | undefined;
    readonly DeleteMarkers?: readonly Listed[] | undefined;
    readonly IsTruncated?: boolean | undefined;
    readonly NextKeyMarker?: string | undefined;
    readonly NextVersionIdMarker?: string | undefined;
  }>;
  deleteObjects(
    input: { Bucket: string; Delete: { Objects: { Key: string; VersionId?: string }[]; Quiet: boolean } },
    options?: ListOptions,
  ): Promise<{ readonly Errors?: readonly { readonly Code?: string | undefined }[] | undefined }>;
  listMultipartUploads(
    input: { Bucket: string; Prefix: string; KeyMarker?: string; UploadIdMarker?: string },
    options?: ListOptions,
  ): Promise<{
    readonly Uploads?:
      readonly { readonly Key?: string | undefined; readonly UploadId?: string | undefined }[] | undefined;
    readonly IsTruncated?: boolean | undefined;
    readonly NextKeyMarker?: string | undefined;
    readonly NextUploadIdMarker?: string | undefined;
  }>;
  abortMultipartUpload(
    input: { Bucket: string; Key: string; UploadId: string },
    options?: ListOptions,
  ): Promise<unknown>;
  putObject(input: { Bucket: string; Key: string; Body: string }, options?: ListOptions): Promise<unknown>;
}

/** Objects in a bucket of S3 or something like it, versioned or not. */
export interface S3SinkOptions {
  readonly name: string;
  readonly s3: S3Operations;
  readonly bucket: string;
  /** In front of every key, with its slash: `memory/`. Default: none. */
  readonly prefix?: string;
}

/**
 * Objects under `<prefix><tenantTag>/<placementId>/`, which `s3Key` names. A `ref` is a key. A plain delete in a
 * versioned bucket adds a marker and keeps the data: here every version and every marker is removed, by its version
 * id, and unfinished uploads too. The list of errors in a good answer is read.
 *
 * Reaches `purged`. Replication targets, inventories and logs are not reached; where an object lock stands in the way
 * the sink refuses.
 */
export function s3Sink(options: S3SinkOptions): Sink {
  const { name, s3, bucket: Bucket, prefix = "" } = options;

  const versions = async (Prefix: string, exact: boolean, { signal }: SinkCall): Promise<readonly Version[]> => {
    const found: Version[] = [];
    let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
    while (next !== undefined) {
      const page = await s3.listObjectVersions({ Bucket, Prefix, ...next }, { abortSignal: signal });
      for (const { Key, VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]) {
        if (Key === undefined || (exact && Key !== Prefix)) continue;
        found.push({ Key, ...(VersionId === undefined ? {} : { VersionId }) });
      }
      next = page.IsTruncated === true ? markers(page.NextKeyMarker, page.NextVersionIdMarker) : undefined;
    }
    return found;
  };
  const ofTag = ({ tenantTag, placementId }: CopyTag) => `${prefix}${tenantTag}/${placementId}/`;
  const everything = async (copy: Parameters<Sink["destroy"]>[0], call: SinkCall) => [
    ...(await versions(copy.ref, true, call)),
    ...(await versions(ofTag(tagOf(copy)), false, call)),
  ];

  return {
    name,
    reaches: "purged",
    whyNotMore: "Replication targets, inventories and access logs are not reached.",
    async destroy(copy, call) {
      const found = distinct(await everything(copy, call));
      for (let start = 0; start < found.length; start += BATCH) {
        const Objects = found.slice(start, start + BATCH);
        const { Errors } = await s3.deleteObjects(
          { Bucket, Delete: { Objects, Quiet: true } },
          { abortSignal: call.signal },
        );
        if (Errors !== undefined && Errors.length > 0) throw new SinkError(codeOfErrors(Errors));
      }
      return "acknowledged";
    },
    async readBackById({ ref }, call) {
      return (await versions(ref, true, call)).length > 0 ? "present" : "absent";
    },
    async readBackByTag(tag, call) {
      return [...new Set((await versions(ofTag(tag), false, call)).map(({ Key }) => Key))];
    },
    async purge(copy, call) {
      for (const Prefix of [copy.ref, ofTag(tagOf(copy))]) await abortUploads(options, Prefix, copy.ref, call);
      return (await everything(copy, call)).length > 0 ? "present" : "absent";
    },
    async *enumerate(tenantTag: string, call: SinkCall): AsyncIterable<SinkEntry> {
      const under = `${prefix}${tenantTag}/`;
      for (const ref of new Set((await versions(under, false, call)).map(({ Key }) => Key))) {
        const [placementId, ...rest] = ref.slice(under.length).split("/");
        yield { ref, placementId: rest.length > 0 ? (placementId ?? null) : null };
      }
    },
    async plant(tag, { signal }) {
      const Key = `${ofTag(tag)}control`;
      await s3.putObject({ Bucket, Key, Body: "" }, { abortSignal: signal });
      return Key;
    },
  };
}

/** The key of a copy: the `ref` of its placement. Keep persons out of the file's name. */
export function s3Key(tag: CopyTag, fileName: string, prefix = ""): string {
  return `${prefix}${tag.tenantTag}/${tag.placementId}/${fileName}`;
}

interface Version {
  readonly Key: string;
  readonly VersionId?: string;
}

/** As many as one request may name. */
const BATCH = 1000;

function distinct(found: readonly Version[]): Version[] {
  return [...new Map(found.map((version) => [JSON.stringify([version.Key, version.VersionId]), version])).values()];
}

function markers(key: string | undefined, version: string | undefined) {
  if (key === undefined) throw new SinkError("other");
  return { KeyMarker: key, ...(version === undefined ? {} : { VersionIdMarker: version }) };
}

function codeOfErrors(errors: readonly { readonly Code?: string | undefined }[]): AttemptCode {
  const codes = errors.map(({ Code }) => Code ?? "");
  // An object lock answers so, and waiting does not help.
  if (codes.includes("AccessDenied")) return "refused";
  if (codes.includes("SlowDown")) return "rate_limited";
  return codes.includes("InternalError") || codes.includes("ServiceUnavailable") ? "unavailable" : "other";
}

// Parts of an upload that was never completed are stored, and no list of objects shows them.
async function abortUploads(
  { s3, bucket: Bucket }: S3SinkOptions,
  Prefix: string,
  ref: string,
  { signal }: SinkCall,
): Promise<void> {
  let next: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
  while (next !== undefined) {
    const page = await s3.listMultipartUploads({ Bucket, Prefix, ...next }, { abortSignal: signal });
    for (const { Key, UploadId } of page.Uploads ?? []) {
      if (Key === undefined || UploadId === undefined || (Prefix === ref && Key !== ref)) continue;
      await s3.abortMultipartUpload({ Bucket, Key, UploadId }, { abortSignal: signal });
    }
    const { NextKeyMarker, NextUploadIdMarker } = page;
    next =
      page.IsTruncated === true && NextKeyMarker !== undefined
        ? {
            KeyMarker: NextKeyMarker,
            ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
          }
        : undefined;
  }
}
