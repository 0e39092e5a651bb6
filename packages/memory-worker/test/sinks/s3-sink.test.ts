import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { s3Key, s3Sink, tagOf } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { VersionedBucket } from "../support/fakes/versioned-bucket.js";

const call = { signal: new AbortController().signal };

function aCopy() {
  const copy = { tenantKey: "acme", placementId: randomUUID() };
  return { ...copy, ref: s3Key(tagOf(copy), "export.json"), kind: "export" };
}

describe("the s3 sink, on a fake of a versioned bucket", () => {
  const shared = new VersionedBucket();
  const cases = sinkConformanceCases({
    createSink: () => s3Sink({ name: "bucket", s3: shared, bucket: "memories" }),
    write: async (_sink, tag, text) => {
      const key = s3Key(tag, `${randomUUID()}.json`);
      await shared.putObject({ Bucket: "memories", Key: key, Body: text });
      return key;
    },
    dump: () => shared.dump(),
  });
  for (const { name, run } of cases) test(name, run);

  test("versions under a delete marker are there, and go with it", async () => {
    const bucket = new VersionedBucket();
    const sink = s3Sink({ name: "bucket", s3: bucket, bucket: "memories" });
    const copy = aCopy();
    for (const Body of ["first", "second", "third"])
      await bucket.putObject({ Bucket: "memories", Key: copy.ref, Body });
    bucket.deleteObject(copy.ref);

    const before = await sink.readBackById?.(copy, call);
    await sink.destroy(copy, call);

    expect(before).toBe("present");
    expect(await sink.readBackById?.(copy, call)).toBe("absent");
    expect(bucket.versions).toEqual([]);
  });

  test("a key that begins like the copy's is left alone", async () => {
    const bucket = new VersionedBucket();
    const sink = s3Sink({ name: "bucket", s3: bucket, bucket: "memories" });
    const copy = aCopy();
    await bucket.putObject({ Bucket: "memories", Key: `${copy.ref}.backup-of-somebody-else`, Body: "text" });

    await sink.destroy({ ...copy, placementId: randomUUID() }, call);
    await sink.purge?.({ ...copy, placementId: randomUUID() }, call);

    expect(bucket.versions).toHaveLength(1);
  });

  test("an answer of 200 with a list of errors is a refusal", async () => {
    const bucket = new VersionedBucket();
    const copy = aCopy();
    await bucket.putObject({ Bucket: "memories", Key: copy.ref, Body: "text" });
    bucket.locked.add(copy.ref);

    await expect(s3Sink({ name: "bucket", s3: bucket, bucket: "memories" }).destroy(copy, call)).rejects.toMatchObject({
      code: "ERR_SINK_REFUSED",
    });
  });

  test("an upload that was never completed is aborted by the purge", async () => {
    const bucket = new VersionedBucket();
    const copy = aCopy();
    bucket.uploads.push(
      { key: copy.ref, uploadId: "u1", part: "half of the text" },
      { key: "another", uploadId: "u2", part: "of somebody else" },
    );

    const left = await s3Sink({ name: "bucket", s3: bucket, bucket: "memories" }).purge?.(copy, call);

    expect(left).toBe("absent");
    expect(bucket.uploads).toMatchObject([{ key: "another" }]);
  });

  test("more versions than one request may name are deleted in several", async () => {
    const sizes: number[] = [];
    const bucket = new (class extends VersionedBucket {
      override async deleteObjects(input: Parameters<VersionedBucket["deleteObjects"]>[0]) {
        sizes.push(input.Delete.Objects.length);
        return super.deleteObjects(input);
      }
    })();
    const copy = aCopy();
    for (let version = 0; version < 2001; version++) {
      bucket.versions.push({ key: copy.ref, versionId: `w${String(version)}`, body: "text" });
    }

    await s3Sink({ name: "bucket", s3: bucket, bucket: "memories" }).destroy(copy, call);

    expect(sizes).toEqual([1000, 1000, 1]);
    expect(bucket.versions).toEqual([]);
  });

  test("a bucket that does not exist proves nothing", async () => {
    const sink = s3Sink({ name: "bucket", s3: new VersionedBucket(), bucket: "memoires" });

    await expect(sink.readBackById?.(aCopy(), call)).rejects.toMatchObject({ name: "NoSuchBucket" });
  });
});
