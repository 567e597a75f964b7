"""Texts with a credential in them, as programs and their surroundings write them, and texts without one."""

from __future__ import annotations

SECRET = "hunter2"
NASTY = [
    "jdbc:postgresql://db:5432/shop?user=ada&password=hunter2&ssl=true",
    "jdbc:postgresql://ada:hunter2@db:5432/shop",
    "jdbc:postgresql://ada:p@hunter2@db/shop",
    "jdbc:mysql://ada:a/hunter2@db:3306/shop",
    "jdbc:mysql://db/shop?trustStorePassword=hunter2;x=1",
    "jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password={hunter2;x};encrypt=true",
    "jdbc:oracle:thin:scott/hunter2@//db:1521/shop",
    "jdbc:oracle:thin:scott/hunter2@db:1521:shop",
    "jdbc:snowflake://acc.snowflakecomputing.com/?private_key_pwd=hunter2&warehouse=w",
    "jdbc:redshift:iam://c:1/dev?AccessKeyID=hunter2&SecretAccessKey=hunter2",
    "s3a://AKIA1234567890ABCDEF:hunter2@bucket/path",
    "https://acc.blob.core.windows.net/c/f.parquet?sv=2022-11-02&se=2026-01-01&sig=hunter2%3D",
    "wasbs://c@acc.blob.core.windows.net/f?sp=r&SIG=hunter2",
    "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=hunter2==;EndpointSuffix=core.windows.net",
    "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=hunter2=",
    "https://b.s3.amazonaws.com/k?X-Amz-Credential=hunter2%2F20260101&X-Amz-Signature=hunter2&X-Amz-Expires=60",
    "https://b.s3.amazonaws.com/k?X-Amz-Security-Token=hunter2",
    "https://storage.googleapis.com/b/k?X-Goog-Signature=hunter2",
    "https://hunter2@git.example.com/repo.git",
    "mongodb+srv://ada:hunter2@cluster0.example.net/shop?retryWrites=true",
    "Authorization: Bearer hunter2hunter2",
    'CREATE TABLE t USING jdbc OPTIONS (url "jdbc:h2:mem:x", password "hunter2")',
    "CREATE TABLE t USING jdbc OPTIONS (`dbPassword` = 'it''s hunter2')",
    "SET fs.s3a.secret.key=hunter2",
    "{'fs.azure.account.key.acc.dfs.core.windows.net': 'hunter2'}",
    "sasl.jaas.config=org.apache.kafka.PlainLoginModule required username=\"a\" password=\"hunter2\";",
    "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----",
    "token => 'hunter2'",
]  # fmt: skip
HARMLESS = [
    "s3a://bucket/path/day=2026-01-01",
    "abfss://container@account.dfs.core.windows.net/path",
    "jdbc:postgresql://db:5432/shop?ssl=true",
    "http://host:8080/people/ada@example.org",
    "hdfs://nn:8020/data",
    "(user.id = 5) AND (name LIKE 'a%')",
    "file:/data/in",
]
