import { GRANTED_ROLES } from "@svc/sdk/lists";
import type { ManagedKey, Member } from "@svc/sdk/shapes";
import { ActForm, SelectField } from "../kit/forms.tsx";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";

/* What becomes of somebody in the team. Below Admin nobody holds keys: what would end some is refused until it is sent on purpose. */

/** Undefined where nothing was refused for their sake. */
export type DyingKeys = readonly Pick<ManagedKey, "id" | "name">[] | undefined;

interface ActsProps {
	readonly visit: ConsoleVisit;
	readonly here: string;
	readonly refused: Refused | undefined;
	readonly member: Member;
	readonly keys: DyingKeys;
}

/** The roles that somebody can be given, the least first. */
export const ROLE_OPTIONS = GRANTED_ROLES.map((role) => ({ value: role, text: t(`role.${role}`) }));

export function MemberActs({ refused: any, keys: dying, ...common }: ActsProps) {
	const { visit, here, member } = common;
	const refused = any?.form.get("member") === member.id ? any : undefined;
	const keys = refused && dying;
	const form = { visit, action: here, fields: { member: member.id }, refused };
	return (
		<div className="acts">
			<details className="ask" open={refused?.act === "role"}>
				<summary className="button quiet slim">{t("team.change")}</summary>
				<ActForm {...form} act="role">
					<SelectField
						act="role"
						name="role"
						id={`role-${member.id}`}
						label={t("team.role")}
						value={member.role}
						refused={refused}
						options={ROLE_OPTIONS}
					/>
					<Ending keys={keys} />
					<button className={keys ? "final" : "primary"} type="submit">
						{keys ? t("team.change.keys", { keys: keys.length }) : t("save")}
					</button>
				</ActForm>
			</details>
			<details className="ask" open={refused?.act === "remove"}>
				<summary className="button quiet slim">{t("team.remove.ask")}</summary>
				<ActForm {...form} act="remove">
					<p>{t("team.remove.about")}</p>
					<Ending keys={keys} />
					<button className="final" type="submit">
						{keys ? t("team.remove.keys", { keys: keys.length }) : t("remove")}
					</button>
				</ActForm>
			</details>
		</div>
	);
}

/** One's own way out. */
export function Leave({ visit, here, member, refused: any, keys }: ActsProps) {
	const refused = any?.form.get("member") === member.id ? any : undefined;
	const ending = refused && keys;
	return (
		<details className="ask narrow" open={refused !== undefined}>
			<summary className="button quiet">{t("team.leave.ask")}</summary>
			<ActForm visit={visit} action={here} act="remove" fields={{ member: member.id }} refused={refused}>
				<p>{t("team.leave.about")}</p>
				<Ending keys={ending} />
				<button className="final" type="submit">
					{ending ? t("team.leave.keys", { keys: ending.length }) : t("team.leave")}
				</button>
			</ActForm>
		</details>
	);
}

/** Says which keys end with what is sent now, and allows it. */
function Ending({ keys }: { readonly keys: DyingKeys }) {
	if (keys === undefined) return null;
	return (
		<>
			<ul>
				{keys.map(({ id, name }) => (
					<li key={id}>
						<bdi>{name}</bdi>
					</li>
				))}
			</ul>
			<input type="hidden" name="revoke_keys" value="true" />
		</>
	);
}
