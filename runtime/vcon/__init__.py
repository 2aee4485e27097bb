"""The vCon format, without a database: schemas, legacy names, times, tags, text, and signed or encrypted
forms.
"""
