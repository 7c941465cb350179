/*
 * Addresses that open a picture for whoever has them, for a while: S3 and Google sign them, others add a token. They must reach neither
 * the image's metadata nor a list, and may have ended before the service came to them.
 */

const SECRETS =
	/^(x-(amz|goog)-[a-z-]+|awsaccesskeyid|googleaccessid|signature|sig|token|access_token|policy|key-pair-id|hdnts|hdnea|verify)$/i;
/** Tell nothing by themselves, but belong to a signature. */
const BESIDES = /^(expires|se|sp|sv|sr|st|exp)$/i;

/** The address without what makes it a secret; the same text where nothing does. */
export function withoutSecret(address: string): string {
	if (!URL.canParse(address)) return address;
	const url = new URL(address);
	const names = [...url.searchParams.keys()];
	const isSigned = names.some((name) => SECRETS.test(name));
	if (!isSigned && url.username === "" && url.password === "") return address;
	for (const name of names) if (SECRETS.test(name) || (isSigned && BESIDES.test(name))) url.searchParams.delete(name);
	[url.username, url.password] = ["", ""];
	return url.href;
}
