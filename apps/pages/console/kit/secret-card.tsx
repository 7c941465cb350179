import type { Text } from "../../kit/text.ts";
import { t } from "../messages.ts";
import { CopyButton } from "./copy-button.tsx";

interface SecretCardProps {
	readonly title: string;
	/** Null where the form was sent before: it is shown once. */
	readonly secret: string | null;
	/** What a program's file `.env` holds of it. */
	readonly env?: (secret: string) => string;
	readonly about?: Text;
}

/** A secret that has just been made, on the answer to the form itself: it is kept nowhere that another page could take it from. */
export function SecretCard({ title, secret, env, about }: SecretCardProps) {
	return (
		<div className="card narrow" role="status">
			<h2>
				<bdi>{title}</bdi>
			</h2>
			{secret === null ? (
				<p>{t("keys.secret.gone")}</p>
			) : (
				<>
					<p>{t("keys.secret")}</p>
					<code className="secret" id="secret">
						{secret}
					</code>
					<CopyButton of="secret" />
					{about && <p>{about}</p>}
					{env && (
						<>
							<p>{t("keys.env")}</p>
							<pre className="secret" id="env">
								{env(secret)}
							</pre>
							<CopyButton of="env" />
						</>
					)}
				</>
			)}
		</div>
	);
}
