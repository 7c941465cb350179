import type { DisabledReason, EndpointState } from "@svc/base/enumerations";

export interface Endpoint {
	readonly pk: number;
	readonly id: string;
	readonly appPk: number;
	readonly url: string;
	/** As they were asked for: `*`, `image.*` or types. */
	readonly types: readonly string[];
	readonly description: string;
	readonly state: EndpointState;
	readonly disabledReason: DisabledReason | null;
	readonly disabledMs: number | null;
	readonly lastDeliveredMs: number | null;
	readonly createdMs: number;
}

export interface EndpointFields {
	readonly url: string;
	readonly types: readonly string[];
	readonly description: string;
}

export interface EndpointChanges {
	readonly url?: string | undefined;
	readonly types?: readonly string[] | undefined;
	readonly description?: string | undefined;
	readonly state?: EndpointState | undefined;
}
