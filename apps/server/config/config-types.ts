/* What several parts of the configuration speak of. */

export interface ListenAddress {
	readonly hostname: string;
	/** 0 stands for any free port. */
	readonly port: number;
}

export type DatabaseConfig =
	| { readonly kind: "file"; readonly path: string }
	| {
			readonly kind: "remote";
			readonly url: string;
			readonly token: string | undefined;
			/** In live mode, too: a power cut may take the last seconds of what was acknowledged away. */
			readonly isRelaxedAccepted: boolean;
	  };
