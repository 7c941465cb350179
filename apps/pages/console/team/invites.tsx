import type { GrantedRole, Invite } from "@svc/sdk/shapes";
import { Day, EMAIL_INPUT } from "../../kit/parts.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { ActForm, SelectField, TextField } from "../kit/forms.tsx";
import { Lines } from "../kit/lines.tsx";
import type { ConsolePost, ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { ROLE_OPTIONS } from "./member-acts.tsx";

/* People who are asked to join the team. */

/** The token is null where the form was sent before: it is shown once. */
export type MadeInvite = Invite & { readonly token: string | null };

/** A mail brings the same link; where none goes out, or none arrives, it is handed over by other means. */
export function InviteLink({ made, web }: { readonly made: MadeInvite; readonly web: string }) {
	return (
		<div className="card narrow" role="status">
			<h2>
				<bdi>{made.email}</bdi>
			</h2>
			{made.token === null ? (
				<p>{t("invite.again")}</p>
			) : (
				<>
					<p>{t("invite.link", { day: <Day ms={Date.parse(made.expires_at)} /> })}</p>
					<code className="secret" id="link">{`${web}/invites/${made.id}?token=${made.token}`}</code>
					<CopyButton of="link" />
				</>
			)}
		</div>
	);
}

interface InvitesProps {
	readonly visit: ConsoleVisit;
	readonly here: string;
	readonly refused: Refused | undefined;
	readonly invites: readonly Invite[];
}

export function Invites({ visit, here, refused, invites }: InvitesProps) {
	const lines = invites.map(({ id, email, role, expires_at }) => ({
		id,
		cells: [
			<bdi key="who">{email}</bdi>,
			t(`role.${role}` as "role.owner"),
			<Day key="until" ms={Date.parse(expires_at)} />,
			<div key="acts" className="acts">
				<ActForm visit={visit} action={here} act="withdraw" fields={{ invite: id }} refused={undefined}>
					<button className="quiet slim" type="submit">
						{t("remove")}
					</button>
				</ActForm>
			</div>,
		],
	}));
	const common = { act: "invite", refused };
	return (
		<>
			<details className="ask narrow" open={refused?.act === "invite"}>
				<summary className="button primary">{t("invite.new")}</summary>
				<div className="card">
					<p className="soft">{t("invite.about")}</p>
					<ActForm visit={visit} action={here} act="invite" refused={refused}>
						<TextField {...common} name="email" label={t("users.email")} input={{ ...EMAIL_INPUT, required: true }} />
						<SelectField {...common} name="role" label={t("team.role")} value="editor" options={ROLE_OPTIONS} />
						<button className="primary" type="submit">
							{t("invite")}
						</button>
					</ActForm>
				</div>
			</details>
			{lines.length > 0 && (
				<>
					<h2>{t("invites")}</h2>
					<Lines
						caption={t("invites")}
						columns={[t("users.email"), t("team.role"), t("invite.until"), ""]}
						lines={lines}
					/>
					<h2>{t("team.members")}</h2>
				</>
			)}
		</>
	);
}

export async function invite({ api, params, form, idempotencyKey }: ConsolePost): Promise<MadeInvite> {
	const role = (form.get("role") ?? "") as GrantedRole;
	const { invites } = api.apps.of(params.app ?? "");
	return await invites.create(form.get("email") ?? "", role, idempotencyKey ? { idempotencyKey } : {});
}

export async function withdraw({ api, params, form }: ConsolePost): Promise<"withdrawn"> {
	await api.apps.of(params.app ?? "").invites.delete(form.get("invite") ?? "");
	return "withdrawn";
}
