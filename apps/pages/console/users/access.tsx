import type { ConnectedUser } from "@svc/sdk/shapes";
import { Day } from "../../kit/parts.tsx";
import { t } from "../messages.ts";

/** Which plan somebody has, and until when; of an App that sells nothing, only whether they are connected. */
export function AccessText({ of: { access, grant, state } }: { readonly of: ConnectedUser }) {
	if (state !== "connected") return t(`user.${state}` as "user.disconnecting" | "user.pending");
	if (access === null || access.plan_key === null) return t("access.inactive");
	return (
		<>
			<bdi>{access.plan_key}</bdi>,{" "}
			{grant?.plan_key === access.plan_key ? t("access.given") : statusText(access.status)}
			{access.expires_at !== null && (
				<>
					{" · "}
					{t("access.until", { day: <Day ms={Date.parse(access.expires_at)} /> })}
				</>
			)}
		</>
	);
}

function statusText(status: string) {
	return t(`access.${status}` as "access.active");
}

export function LastUse({ of: { last_used_on } }: { readonly of: ConnectedUser }) {
	return last_used_on ? <Day ms={Date.parse(last_used_on)} /> : "–";
}
