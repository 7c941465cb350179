import type { Bucket } from "@svc/storage/s3-requests";
import type { Reader } from "./variables.ts";

/** How an object store is reached, whatever lies in it. */
export type S3Access = Omit<Bucket, "bucket">;

/** @param prefix of the variables' names: `SVC_S3` or `SVC_BACKUP_S3` */
export function readS3Access(read: Reader, prefix: string): S3Access {
	return {
		endpoint: read.origin(`${prefix}_ENDPOINT`),
		// Part of every address and signature, where nothing in them is escaped.
		region: read.matching(`${prefix}_REGION`, /^[A-Za-z0-9_-]+$/, "a region such as us-east-1, or auto"),
		accessKeyId: read.matching(`${prefix}_ACCESS_KEY_ID`, /^[\w.+=@~:-]+$/, "an access key"),
		secretAccessKey: read.matching(`${prefix}_SECRET_ACCESS_KEY`, /^[!-~]+$/, "a secret without spaces"),
	};
}
