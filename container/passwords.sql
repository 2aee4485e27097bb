-- Gives both logins the passwords that stand in the addresses they are used with; for psql, after plan.sql.
\set QUIET on
\set owner `sed -n 's#^postgresql://[^:]*:\([^@]*\)@.*#\1#p' "${SECRETS:-/run/secrets}/owner_url"`
\set login `sed -n 's#^postgresql://[^:]*:\([^@]*\)@.*#\1#p' "${SECRETS:-/run/secrets}/login_url"`
alter role vcontract_owner password :'owner';
alter role vcontract_login password :'login';
