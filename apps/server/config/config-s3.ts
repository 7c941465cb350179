import type { Bucket } from "@svc/storage/s3/requests";
import type { VariableReader } from "./variables.ts";

type S3Keys = Pick<Bucket, "accessKeyId" | "secretAccessKey" | "sessionToken">;

/** How a bucket is written; what lets the service in stands beside it, since it may hold `/` and `+`. */
export const S3_FORM = "s3://host/bucket?region=… (&tls=off for plain HTTP), without a name and a password in it";

/** The variables that the AWS tools read as well, and those of the backups' own key. */
const KEYS = {
	pictures: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
	backups: ["AWS_BACKUP_ACCESS_KEY_ID", "AWS_BACKUP_SECRET_ACCESS_KEY"],
} as const;

/** What lets the service into a bucket. */
export function readS3Keys(read: VariableReader, whose: keyof typeof KEYS): S3Keys {
	const [id, secret, session] = KEYS[whose];
	const sessionToken = session && read.optional(session);
	if (session && sessionToken !== undefined && !/^[!-~]+$/.test(sessionToken))
		read.fault(session, "a token without spaces");
	return {
		accessKeyId: read.matching(id, /^[\w.+=@~:-]+$/, "the id of an access key"),
		secretAccessKey: read.matching(secret, /^[!-~]+$/, "the secret of that key, without spaces"),
		...(sessionToken !== undefined && { sessionToken }),
	};
}

/** The key of the backups: one of its own, or else that of the pictures. Undefined where neither is set. */
export function readBackupKeys(read: VariableReader): S3Keys | undefined {
	const whose = (["backups", "pictures"] as const).find((one) => KEYS[one].some((name) => read.isSet(name)));
	read.unused([...KEYS.pictures, ...KEYS.backups]);
	return whose && readS3Keys(read, whose);
}
