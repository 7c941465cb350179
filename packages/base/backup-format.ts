/* How a backup is laid out, for what writes one and for what reads it. */

/** Version of the layout; a restore refuses those that it does not know. */
export const BACKUP_FORMAT = 1;

/** A line of `SHA256SUMS`: the digest, and one of the files that a backup can hold. Nothing here leads out of a folder. */
export const BACKUP_LINE =
	/^([0-9a-f]{64}) {2}(svc\.db|images\/blobs\/[0-9a-f]{2}\/[A-Za-z0-9_][A-Za-z0-9._+-]{0,199})$/;
