return <div className={a as T}>{b}</div>
