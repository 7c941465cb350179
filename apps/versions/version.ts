import type { ApiVersion } from "@svc/api/version";
import type { PagesVersion } from "@svc/pages/version";
import type { Variant } from "@svc/variants/variant";

/** An interface version, whole. */
export interface Version {
	readonly variant: Variant;
	readonly api: ApiVersion;
	/** Loaded with the first page. */
	pages(): Promise<PagesVersion>;
}
